/** Addresses that git reaches by itself; no option, no other transport, no program. */
const REMOTE =
  /^(?:(?:https?|ssh|git|file):\/\/(?![^/\s]*@-)[^\s-][^\s]*|\/[^\s]*|[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^\s-][^\s]*)$/;

export const isRemote = (text: string): boolean => text.length <= 500 && REMOTE.test(text);
