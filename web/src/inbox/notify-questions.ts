import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import type { FeedLine } from "../../../src/contract/operations/past-operations.ts";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import { useLive } from "../live/live.tsx";
import { mayAnswer, readRoles } from "../session/use-role.ts";
import { useNotifyState } from "./notifications.ts";

const NOTIFIER = "belay-notifier";
const LOOKED_AT = "belay-looked-at";

/** While no tab is visible, one of them shows a notification for each new question. */
export function NotifyQuestions() {
  const { listen } = useLive();
  const isOn = useNotifyState() === "on";
  const navigate = useNavigate();
  const goToInbox = useEffectEvent(() => {
    window.focus();
    void navigate({ to: "/inbox" });
  });

  useEffect(() => {
    if (!isOn) return;
    const ended = new AbortController();
    let notifies = false;
    hold(NOTIFIER, { signal: ended.signal }, () => {
      notifies = true;
    });
    const stop = listen((line) => {
      if (!notifies || line.type !== "approval.requested") return;
      isForReader(line).then(
        (isFor) => isFor && notify(line, () => goToInbox()),
        () => undefined,
      );
    });
    const stopNotifying = notifyWhenUnseen();
    return () => {
      ended.abort();
      stop();
      stopNotifying();
    };
  }, [isOn, listen]);
  return null;
}

/** True if nobody looks at a tab, and the question is one that the person may answer. */
async function isForReader({ id, data }: FeedLine): Promise<boolean> {
  if (await isLookedAt()) return false;
  const roleIn = await readRoles([id]);
  return mayAnswer(roleIn(id), String(data.kind));
}

function notify({ data, id, seq }: FeedLine, onClick: () => void): void {
  const title = typeof data.title === "string" ? data.title : "An agent is waiting for you";
  const notification = new Notification(WORDS[String(data.kind)] ?? "Belay", {
    body: visibleLine(title),
    // The tag keeps two tabs from showing the same notification.
    tag: `${id} ${seq}`,
    icon: "/assets/belay.svg",
  });
  notification.addEventListener("click", () => {
    notification.close();
    onClick();
  });
}

const WORDS: Readonly<Record<string, string>> = {
  permission: "Permission requested",
  question: "A question is waiting for you",
  recovery: "A decision is needed after a crash",
};

/** A visible tab holds a shared lock, and every tab can query if anyone holds it. */
function notifyWhenUnseen(): () => void {
  let looking: AbortController | null = null;
  const change = (): void => {
    looking?.abort();
    looking = document.hidden ? null : new AbortController();
    if (looking) hold(LOOKED_AT, { mode: "shared", signal: looking.signal }, () => undefined);
  };
  change();
  document.addEventListener("visibilitychange", change);
  return () => {
    document.removeEventListener("visibilitychange", change);
    looking?.abort();
  };
}

async function isLookedAt(): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === LOOKED_AT);
}

/** Holds the lock from when it is granted until the signal. */
function hold(name: string, options: LockOptions & { signal: AbortSignal }, onHeld: () => void) {
  const { signal } = options;
  const held = navigator.locks.request(name, options, () => {
    onHeld();
    return new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  });
  // Rejects only if the signal came before the lock.
  held.catch(() => undefined);
}
