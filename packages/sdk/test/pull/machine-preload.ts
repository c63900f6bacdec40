import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

/*
 * Loaded ahead of a program (`--import`): the machine is called `MACHINE`, and the process has the id 7 there. Several
 * machines with a shared disk, such as containers, have different processes of one id.
 */
os.hostname = () => process.env.MACHINE ?? 'machine';
syncBuiltinESMExports();
Object.defineProperty(process, 'pid', { value: 7 });
