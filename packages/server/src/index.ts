export { createToken } from './accounts/create-token.ts';
export { createUser } from './accounts/create-user.ts';
export { createInvitation } from './accounts/invitations.ts';
export { setPassword } from './accounts/set-password.ts';
export { ConfigurationError, readConfiguration } from './configuration.ts';
export { ServiceError } from './errors.ts';
export { rotateSigningKey } from './login/signing-keys.ts';
export { administer, type RunningService, startService } from './main.ts';
export { StartError } from './service/start-error.ts';
