/** Rotates when its section is open. */
export function Chevron() {
  return (
    <span
      aria-hidden
      className="inline-block w-3.5 shrink-0 text-center text-faint transition-transform group-open:rotate-90 motion-reduce:transition-none"
    >
      ›
    </span>
  );
}
