import { describeObjectStore } from './object-store-suite.ts';
import { openTestDiskStore } from './stores.ts';

describeObjectStore('disk', openTestDiskStore);
