import { Menu } from "@base-ui/react/menu";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { logOut } from "../api/send.ts";
import { explain } from "../ui/states.tsx";
import { useShortcut } from "./shortcuts.ts";
import { chooseTheme, THEMES, useTheme } from "./theme.ts";

const ITEM =
  "flex cursor-default items-center gap-2 rounded px-2 py-1.5 text-sm outline-none data-[highlighted]:bg-raised";

/** The theme, the audit, and logging out. */
export function Preferences() {
  const theme = useTheme();
  const navigate = useNavigate();
  useShortcut("g a", "Go to Audit", () => void navigate({ to: "/audit-log" }));
  const leave = useMutation({
    mutationFn: logOut,
    onSuccess: (url) => window.location.replace(url ?? "/login"),
  });
  return (
    <Menu.Root>
      <Menu.Trigger className="w-full rounded-md px-2 py-1.5 text-left text-sm text-soft hover:bg-raised hover:text-ink max-md:pt-[26px] max-md:text-xs max-[22.5rem]:px-1 max-[22.5rem]:text-[10px]">
        Settings
      </Menu.Trigger>
      {leave.error && (
        <p role="alert" className="px-2 text-sm text-bad">
          You are still logged in. {explain(leave.error)}
        </p>
      )}
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} className="z-50">
          <Menu.Popup className="min-w-40 rounded-md border border-line bg-panel p-1 shadow-lg outline-none">
            <Menu.RadioGroup value={theme} onValueChange={chooseTheme}>
              {THEMES.map((each) => (
                <Menu.RadioItem key={each} value={each} className={ITEM}>
                  <span className="w-4">{each === theme ? "✓" : ""}</span>
                  {each === "system" ? "Use system theme" : each === "dark" ? "Dark" : "Light"}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item className={ITEM} onClick={() => void navigate({ to: "/audit-log" })}>
              <span className="w-4" />
              Audit
            </Menu.Item>
            <Menu.Item className={ITEM} onClick={() => leave.mutate()}>
              <span className="w-4" />
              Log out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
