import { once } from "node:events";
import { z } from "zod";

/** One page of a browser, spoken to by the Chrome DevTools Protocol. */
export interface Devtools {
  call(method: string, params?: object): Promise<unknown>;
  on(event: string, listener: (params: unknown) => void): void;
  /** The next event of this name. */
  next(event: string): Promise<unknown>;
}

const Message = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** Opens a page in the browser at this address. */
export async function connectDevtools(address: string): Promise<Devtools> {
  const socket = new WebSocket(address);
  await once(socket, "open");
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const listeners: { readonly event: string; listen(params: unknown): void }[] = [];
  let asked = 0;

  socket.addEventListener("message", ({ data }) => {
    const { id, method, params, result, error } = Message.parse(JSON.parse(String(data)));
    for (const { event, listen } of listeners) if (event === method) listen(params);
    const call = id === undefined ? undefined : waiting.get(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  });
  socket.addEventListener("close", () => {
    for (const call of waiting.values()) call.reject(new Error("the browser has ended"));
  });

  const send = (method: string, params: object, session: object): Promise<unknown> => {
    asked += 1;
    const id = asked;
    const call = Promise.withResolvers<unknown>();
    waiting.set(id, call);
    socket.send(JSON.stringify({ id, method, params, ...session }));
    return call.promise.finally(() => waiting.delete(id));
  };
  const created = await send("Target.createTarget", { url: "about:blank" }, {});
  const { targetId } = z.object({ targetId: z.string() }).parse(created);
  const attached = await send("Target.attachToTarget", { targetId, flatten: true }, {});
  const session = z.object({ sessionId: z.string() }).parse(attached);

  return {
    call: (method, params = {}) => send(method, params, session),
    on: (event, listen) => void listeners.push({ event, listen }),
    next: (event) => new Promise((resolve) => listeners.push({ event, listen: resolve })),
  };
}
