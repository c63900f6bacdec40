import { expect, test } from 'vitest';
import { insertReceipts } from '../../src/libraries/publish/receive.ts';
import { claimLibraryStore } from '../../src/objects/library-store.ts';
import { deleteAbandonedUploads } from '../../src/objects/uploads.ts';
import { databases } from '../databases.ts';
import { startService } from '../service.ts';

const DAY = 86_400;

test.each(databases)(
  '$name: receipts of unregistered uploads are deleted after a day, however many there are',
  async ({ open }) => {
    const service = await startService({ database: await open() });
    const { db } = service.context;
    const upload = async (library: string, count: number) => {
      const storeId = await claimLibraryStore(db, { namespace: 'ada', name: library });
      await insertReceipts(
        service.context,
        Array.from({ length: count }, (_, number) => ({
          storeId,
          path: `mesh-${number}.stl`,
          sha256: '0'.repeat(64),
          size: 1,
        })),
      );
      return storeId;
    };
    await upload('old', 2_500);
    service.advance(DAY + 1);
    const young = await upload('young', 20);
    await deleteAbandonedUploads(service.context);
    const left = await db.selectFrom('upload_receipts').select('store_id').execute();
    expect(left).toEqual(Array.from({ length: 20 }, () => ({ store_id: young })));
    await service.close();
  },
);
