export function SessionsPage() {
  return <h1 className="p-4 text-xl font-semibold">SessionsPage</h1>;
}
