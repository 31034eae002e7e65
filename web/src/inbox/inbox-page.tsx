export function InboxPage() {
  return <h1 className="p-4 text-xl font-semibold">InboxPage</h1>;
}
