export function RecoveryPage() {
  return <h1 className="p-4 text-xl font-semibold">RecoveryPage</h1>;
}
