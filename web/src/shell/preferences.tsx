import { Menu } from "@base-ui/react/menu";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Output } from "../../../src/contract/operations.ts";
import { logOut } from "../api/send.ts";
import { describePerson } from "../ui/describe-person.ts";
import { explain } from "../ui/states.tsx";
import { useShortcut } from "./shortcuts.ts";
import { chooseTheme, THEMES, useTheme } from "./theme.ts";
import { useMe } from "./use-me.ts";

const ITEM =
  "flex cursor-default items-center gap-2 rounded px-2 py-1.5 text-sm outline-none data-[highlighted]:bg-raised";

/** The menu with the logged-in person, the theme, the audit, and logging out. */
export function Preferences() {
  const theme = useTheme();
  const navigate = useNavigate();
  useShortcut("g a", "Go to Audit", () => void navigate({ to: "/audit-log" }));
  const leave = useMutation({
    mutationFn: logOut,
    onSuccess: (url) => window.location.replace(url ?? "/login"),
  });
  const me = useMe();
  return (
    // The role may have changed since the page was loaded.
    <Menu.Root onOpenChange={(isOpen) => isOpen && void me.refetch()}>
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
          <Menu.Popup className="min-w-40 max-w-72 rounded-md border border-line bg-panel p-1 shadow-lg outline-none">
            {me.data && <LoggedInAs {...me.data} />}
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

/** For example "Logged in as Ann (ann), admin". */
function LoggedInAs({ owner, display_name, role }: Output<"whoami">) {
  return (
    <>
      <p className="px-2 py-1.5 text-sm break-words text-soft">
        Logged in as{" "}
        <span className="font-medium text-ink">
          {describePerson({ name: owner, display_name: display_name ?? owner })}
        </span>
        {role && `, ${role}`}
      </p>
      <Menu.Separator className="my-1 h-px bg-line" />
    </>
  );
}
