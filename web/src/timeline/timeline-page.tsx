export function TimelinePage() {
  return <h1 className="p-4 text-xl font-semibold">TimelinePage</h1>;
}
