/** Names like `REQ-0007`, kept in the repository so that no working tree of it draws one twice. */
export interface ReservedIds {
  /** Every name that was reserved, whatever became of it. */
  names(): Promise<readonly string[]>;
  /** False when somebody else has the name already. */
  reserve(name: string): Promise<boolean>;
  /** Names of item folders below a root of the other working trees, committed or not. */
  inOtherTrees(root: string): readonly string[];
}
