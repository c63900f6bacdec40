import type { SchemaChange } from '../schema-change.ts';
import { foundation } from './0001-foundation.ts';
import { collaboration } from './0002-collaboration.ts';
import { vectorCodes } from './0003-vector-codes.ts';
import { expiry } from './0004-expiry.ts';
import { tokenFamilies } from './0005-token-families.ts';
import { integrity } from './0006-integrity.ts';
import { uploads } from './0008-uploads.ts';
import { publicLibraries } from './0009-public-libraries.ts';
import { SCHEMA_CHANGES, schemaChanges } from './0010-schema-changes.ts';
import { doomedObjects } from './0011-doomed-objects.ts';
import { loginNames } from './0012-login-names.ts';
import { releases } from './0013-releases.ts';
import { operators } from './0014-operators.ts';
import { directUploads } from './0017-direct-uploads.ts';
import { namespaceQuotas } from './0018-namespace-quotas.ts';
import { servers } from './0020-servers.ts';
import { auditLog } from './0021-audit-log.ts';
import { READERS, readers } from './0022-readers.ts';
import { scrub } from './0023-scrub.ts';
import { webhooks } from './0024-webhooks.ts';
import { signIns } from './0025-sign-ins.ts';
import { operatorsPauses } from './0026-operators-pauses.ts';
import { serviceEvents } from './0027-service-events.ts';
import { namespaceCreators } from './0028-namespace-creators.ts';

/** Every migration by name; names sort in the order in which the migrations run. A released migration never changes. */
export const migrations: Record<string, SchemaChange> = {
  '0001-foundation': foundation,
  '0002-collaboration': collaboration,
  '0003-vector-codes': vectorCodes,
  '0004-expiry': expiry,
  '0005-token-families': tokenFamilies,
  '0006-integrity': integrity,
  '0008-uploads': uploads,
  '0009-public-libraries': publicLibraries,
  [SCHEMA_CHANGES]: schemaChanges,
  '0011-doomed-objects': doomedObjects,
  '0012-login-names': loginNames,
  '0013-releases': releases,
  '0014-operators': operators,
  '0017-direct-uploads': directUploads,
  '0018-namespace-quotas': namespaceQuotas,
  '0020-servers': servers,
  '0021-audit-log': auditLog,
  [READERS]: readers,
  '0023-scrub': scrub,
  '0024-webhooks': webhooks,
  '0025-sign-ins': signIns,
  '0026-operators-pauses': operatorsPauses,
  '0027-service-events': serviceEvents,
  '0028-namespace-creators': namespaceCreators,
};
