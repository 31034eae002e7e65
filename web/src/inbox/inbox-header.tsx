import { NotifySwitch } from "./notify-switch.tsx";
import { ORDERS, type Order } from "./order-approvals.ts";

const WORDS = { oldest: "Oldest first", session: "By session" } as const satisfies Record<
  Order,
  string
>;

interface InboxHeaderProps {
  readonly waiting: number;
  readonly order: Order;
  chooseOrder(order: Order): void;
}

export function InboxHeader({ waiting, order, chooseOrder }: InboxHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line px-4 py-2">
      <h1 className="text-xl font-semibold">
        Inbox{" "}
        {waiting > 0 && (
          <span className="text-base font-normal text-soft">{waiting} waiting for you</span>
        )}
      </h1>
      <div className="ml-auto flex flex-wrap items-center gap-x-6 gap-y-1">
        {waiting > 1 && (
          <fieldset className="flex rounded-md border border-line bg-panel p-0.5">
            <legend className="sr-only">Order</legend>
            {ORDERS.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === order}
                onClick={() => chooseOrder(each)}
                className={`min-h-9 rounded px-2.5 text-sm ${each === order ? "bg-raised font-medium text-ink" : "text-soft hover:text-ink"}`}
              >
                {WORDS[each]}
              </button>
            ))}
          </fieldset>
        )}
        <NotifySwitch />
      </div>
    </header>
  );
}
