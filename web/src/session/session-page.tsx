export function SessionPage() {
  return <h1 className="p-4 text-xl font-semibold">SessionPage</h1>;
}
