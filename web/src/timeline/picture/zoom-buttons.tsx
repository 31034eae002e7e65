import { Button } from "../../ui/button.tsx";

interface Props {
  readonly isWhole: boolean;
  zoom(factor: number): void;
  pan(share: number): void;
  showAll(): void;
}

export function ZoomButtons({ isWhole, zoom, pan, showAll }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's
    <div role="group" aria-label="Zoom" className="flex gap-1">
      <Button onClick={() => zoom(2)} aria-label="Zoom in" title="Zoom in (+)">
        +
      </Button>
      <Button
        onClick={() => zoom(0.5)}
        disabled={isWhole}
        aria-label="Zoom out"
        title="Zoom out (-)"
      >
        −
      </Button>
      <Button onClick={() => pan(-0.5)} disabled={isWhole} aria-label="Earlier" title="Earlier (←)">
        ←
      </Button>
      <Button onClick={() => pan(0.5)} disabled={isWhole} aria-label="Later" title="Later (→)">
        →
      </Button>
      <Button onClick={showAll} disabled={isWhole} title="Show the whole timeline (0)">
        Fit
      </Button>
    </div>
  );
}
