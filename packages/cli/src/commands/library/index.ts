import type { CommandGroup } from '../../command.ts';
import { share, visibility } from './access.ts';
import { add } from './add.ts';
import { check } from './check.ts';
import { credits } from './credits.ts';
import { info } from './info.ts';
import { init } from './init.ts';
import { purge, remove, restore } from './lifecycle.ts';
import { list } from './list.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';
import { rm } from './rm.ts';
import { search } from './search.ts';
import { stat } from './stat.ts';

export const library: CommandGroup = {
  name: 'library',
  summary: 'Publish, find, verify and pull libraries',
  commands: [
    list,
    search,
    info,
    credits,
    stat,
    pull,
    init,
    check,
    push,
    add,
    rm,
    share,
    visibility,
    remove,
    restore,
    purge,
  ],
};
