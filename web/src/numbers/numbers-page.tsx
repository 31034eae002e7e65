export function NumbersPage() {
  return <h1 className="p-4 text-xl font-semibold">NumbersPage</h1>;
}
