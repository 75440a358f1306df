import type { QueryClient } from "@tanstack/react-query";
import { stayLive } from "./live.ts";
import { countInTitle } from "./title.ts";
import { onSession } from "./session.ts";

const WANTED = "isdlc.notifications";
let waiting = 0;

/** Updates title, badge and notifications with the number of waiting runs. */
export function startTelling(client: QueryClient): void {
  onSession(() => void client.invalidateQueries());
  void stayLive(client, (count) => {
    if (count > waiting && document.hidden) notify(count);
    waiting = count;
    countInTitle(count);
    if ("setAppBadge" in navigator) void navigator.setAppBadge(count).catch(() => undefined); // not supported by all browsers
  });
}

export const wantsNotifications = (): boolean =>
  localStorage.getItem(WANTED) === "yes" && "Notification" in window && Notification.permission === "granted";

/** Asks the browser for permission. Returns true if notifications are allowed from now on. */
export async function wantNotifications(wanted: boolean): Promise<boolean> {
  const granted = wanted && (await Notification.requestPermission()) === "granted";
  localStorage.setItem(WANTED, granted ? "yes" : "no");
  return granted;
}

function notify(count: number): void {
  if (!wantsNotifications()) return;
  const body = count === 1 ? "1 run is waiting for you." : `${count} runs are waiting for you.`;
  const told = new Notification("iSDLC", { body, tag: "isdlc-waiting" });
  told.addEventListener("click", () => window.focus());
}
