import { useSyncExternalStore } from "react";

/**
 * `blocked`: the user told the browser never to ask again; `unavailable`: the browser cannot, or does not trust the
 * address.
 */
type NotifyState = "off" | "on" | "blocked" | "unavailable";

const KEPT_AS = "belay-notify";
const listeners = new Set<() => void>();

export function useNotifyState(): NotifyState {
  return useSyncExternalStore((listen) => {
    listeners.add(listen);
    // Another tab may have changed it.
    window.addEventListener("storage", listen);
    return () => {
      listeners.delete(listen);
      window.removeEventListener("storage", listen);
    };
  }, readState);
}

export async function turnOn(): Promise<void> {
  if (readState() === "unavailable") return;
  const permission = await Notification.requestPermission();
  if (permission === "granted") localStorage.setItem(KEPT_AS, "on");
  for (const listen of listeners) listen();
}

export function turnOff(): void {
  localStorage.removeItem(KEPT_AS);
  for (const listen of listeners) listen();
}

function readState(): NotifyState {
  if (!("Notification" in window) || !navigator.locks) return "unavailable";
  if (Notification.permission === "denied") return "blocked";
  const isOn = Notification.permission === "granted" && localStorage.getItem(KEPT_AS) === "on";
  return isOn ? "on" : "off";
}
