import type { Engine } from "../../src/engine/engine.ts";

type Port<T> = T extends (...args: never[]) => unknown ? T : T extends object ? Partial<T> : T;
type Ports = { readonly [K in keyof Engine]?: Port<Engine[K]> };

/** An engine of the given ports. A step that reads another one fails with its name. */
export const createPartialEngine = (ports: Ports): Engine => strict(ports, "engine") as Engine; // Missing ports throw when read.

function strict(value: object, path: string): object {
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === "symbol") return Reflect.get(target, key) as unknown;
      if (!(key in target)) throw new Error(`the step read ${path}.${key}, which the test does not provide`);
      const found = Reflect.get(target, key) as unknown;
      return typeof found === "object" && found !== null && !Array.isArray(found)
        ? strict(found, `${path}.${key}`)
        : found;
    },
  });
}
