/** Hatching says that nobody knows; dots say that a person is waited for. */
export function Patterns() {
  return (
    <svg width="0" height="0" className="absolute" aria-hidden="true">
      <defs>
        <pattern
          id="belay-hatch"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="6" height="6" className="fill-warn-soft" />
          <rect width="2.5" height="6" className="fill-warn" />
        </pattern>
        <pattern id="belay-dots" width="5" height="5" patternUnits="userSpaceOnUse">
          <rect width="5" height="5" className="fill-accent-soft" />
          <circle cx="2.5" cy="2.5" r="1.1" className="fill-accent" />
        </pattern>
      </defs>
    </svg>
  );
}
