/** Addresses that git reaches without helper programs. No options, no other transports. */
const REMOTE =
  /^(?:(?:https?|ssh|git|file):\/\/(?![^/\s]*@-)[^\s-][^\s]*|\/[^\s]*|[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^\s-][^\s]*)$/;

export const isRemote = (text: string): boolean => text.length <= 500 && REMOTE.test(text);
