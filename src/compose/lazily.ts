type Makers = Readonly<Record<string, () => unknown>>;
type Lazy<M extends Makers> = { readonly [K in keyof M]: ReturnType<M[K]> };

/** Adds properties that are made once they are first read: most verbs need few of the adapters. */
export function lazily<T extends object, M extends Makers>(target: T, makers: M): T & Lazy<M> {
  for (const [name, make] of Object.entries(makers)) {
    const get = (): unknown => {
      const value = make();
      Object.defineProperty(target, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(target, name, { get, enumerable: true, configurable: true });
  }
  return target as T & Lazy<M>; // every one of them was just added
}
