import { Switch } from "@base-ui/react/switch";
import { turnOff, turnOn, useNotifyState } from "./notifications.ts";
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

const SAID = {
  on: null,
  off: null,
  blocked:
    "This browser blocks notifications. Allow them for this address in the browser’s site settings.",
  unavailable:
    "This browser allows notifications only over https or for an address on this machine.",
} as const satisfies Record<ReturnType<typeof useNotifyState>, string | null>;

/** Off by default; the browser asks for permission when it is turned on. */
function NotifySwitch() {
  const state = useNotifyState();
  const said = SAID[state];
  return (
    <div className="max-w-sm text-sm text-soft">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch is a control */}
      <label className="flex min-h-9 items-center gap-2">
        <Switch.Root
          checked={state === "on"}
          disabled={said !== null}
          onCheckedChange={(isOn) => (isOn ? void turnOn() : turnOff())}
          className="flex h-5 w-9 shrink-0 items-center rounded-full border border-line bg-raised p-0.5 data-[checked]:border-accent data-[checked]:bg-accent data-[disabled]:opacity-50"
        >
          <Switch.Thumb className="size-3.5 rounded-full bg-soft transition-transform data-[checked]:translate-x-4 data-[checked]:bg-on-accent" />
        </Switch.Root>
        Desktop notifications
      </label>
      {said && <p className="text-xs">{said}</p>}
    </div>
  );
}
