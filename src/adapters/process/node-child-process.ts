/** Node's child_process, loaded at the first use: that alone takes a tenth of the time in which bare Node starts. */
export const childProcess = () => process.getBuiltinModule("node:child_process");
