/** Names like `REQ-0007`, reserved in the repository to be unique in all of its working trees. */
export interface ReservedIds {
  /** Returns every reserved name, used or not. */
  names(): Promise<readonly string[]>;
  /** Reserves a name. Returns false if it is already reserved. */
  reserve(name: string): Promise<boolean>;
  /** Returns the names of item folders in a root folder of the other working trees, committed or not. */
  inOtherTrees(root: string): readonly string[];
}
