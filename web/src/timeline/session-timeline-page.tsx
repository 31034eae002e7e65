export function SessionTimelinePage() {
  return <h1 className="p-4 text-xl font-semibold">SessionTimelinePage</h1>;
}
