import { done, type Run } from "../verb.ts";

export const demo: Run = () => Promise.resolve(done(["not yet"]));
