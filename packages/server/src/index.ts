export { MACHINE } from './access/viewer.ts';
export { createUser } from './accounts/accounts.ts';
export { endLogins, type Logins, listLogins, setPassword } from './accounts/logins.ts';
export { createToken } from './accounts/personal-access-tokens.ts';
export { signInMethodsOfUser } from './accounts/sign-in-methods.ts';
export { createInvitation } from './accounts/sign-up.ts';
export type { MovedTable } from './adapters/database/move-to-postgres.ts';
export type { StorageCopy } from './adapters/objects/copy-storage.ts';
export { type DeletedUser, deleteUser, namespacesOfUser } from './administration/delete-account.ts';
export { handOverNamespace, namespacesPage, type QuotaChange } from './administration/namespaces.ts';
export { changeUser, disconnectUser, usersPage } from './administration/users.ts';
export {
  administeredDeliveries,
  administerWebhook,
  redeliverAsOperator,
  webhooksPage,
} from './administration/webhooks.ts';
export { auditPage } from './audit/audit-log.ts';
export type { BackupResult } from './backup/back-up.ts';
export type { LostObject } from './backup/library-objects.ts';
export type { RestoreResult } from './backup/restore.ts';
export type { VerifyResult } from './backup/verify.ts';
export type { RunningService } from './boot/main.ts';
export {
  type Configuration,
  ConfigurationError,
  readConfiguration,
  unknownSettings,
} from './configuration/configuration.ts';
export { BUCKET_URL, isBucketUrl } from './configuration/s3.ts';
export { isPostgresUrl, POSTGRES_URL } from './configuration/values.ts';
export { ServiceError, StartError } from './errors.ts';
export { isEveryAddress, localOrigin } from './http/listen.ts';
export { rotateSigningKey } from './login/signing-keys.ts';
export type { Finding, FsckReport } from './objects/health/finding.ts';
export type { BackupPlace } from './operations/backup.ts';
export type { Diagnosis } from './operations/diagnoses.ts';
export type { GcResult, ServiceCheck } from './operations/maintenance.ts';
export type { SchemaMigration } from './operations/migrate.ts';
export {
  administer,
  backUpService,
  diagnose,
  fsckService,
  gcService,
  limitNamespace,
  migrateDatabase,
  migrateSchema,
  migrateStorage,
  restoreService,
  verifyBackup,
} from './operations/operations.ts';

/**
 * Like `startService` of `main.ts`, which is loaded only when called: operators' commands need nothing that serves
 * requests.
 */
export const startService: typeof import('./boot/main.ts').startService = async (configuration) => {
  const service = await import('./boot/main.ts');
  return service.startService(configuration);
};
export { reindex } from './search/engine/engine-report.ts';
