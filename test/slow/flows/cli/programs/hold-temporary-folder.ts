import { makeTemporaryFolder } from "../../../../../src/adapters/files/temporary-folder.ts";

console.log(await makeTemporaryFolder());
setInterval(() => undefined, 1000); // until it is killed
