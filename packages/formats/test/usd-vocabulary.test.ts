import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLIENTS_PYTHON, missingPythonClients } from '../../../test/python-clients.ts';
import { kindOf, tellWords } from '../../../test/tallies.ts';
import { canRun } from '../../sdk/test/credentials/needed-programs.ts';
import { type Meaning, UNKNOWN_WORD, whyLost } from '../src/model/vocabulary.ts';
import { meaningOf, meaningOfSchema } from '../src/usd/vocabulary.ts';

describe.runIf(canRun('openusd', missingPythonClients()))('what USD can say of physics', () => {
  const isPhysical = (property: string) => /^(?:physics|physx\w*|newton|drive|limit|state):/.test(property);

  function words(): {
    meanings: [name: string, meaning: Meaning][];
    schemas: Readonly<Record<string, string[]>>;
  } {
    const program = fileURLToPath(new URL('usd-schemas-oracle.py', import.meta.url));
    const schemas = JSON.parse(
      execFileSync(CLIENTS_PYTHON, [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    const meanings = Object.entries<string[]>(schemas).flatMap(([schema, properties]) => {
      // What is lost as a whole is not looked at further.
      const isLost = whyLost(meaningOfSchema(schema), '') !== undefined && !schema.endsWith('API');
      const inside = properties
        .map((property) => property.replace('__INSTANCE_NAME__', 'rotX'))
        .filter((property) => isPhysical(property) && !isLost)
        .map((property): [string, Meaning] => [`${schema}: ${property}`, meaningOf(property, [schema])]);
      return [[schema, meaningOfSchema(schema)] as [string, Meaning], ...inside];
    });
    return { meanings, schemas };
  }

  test('is read or named by its reason, whatever it is', () => {
    const { meanings, schemas } = words();
    const isUnknown = (meaning: Meaning) => whyLost(meaning, 'x') === whyLost(UNKNOWN_WORD, 'x');
    tellWords(
      'USD, UsdPhysics with PhysX and Newton',
      meanings.map(([, meaning]) => kindOf(isUnknown(meaning) ? undefined : meaning)),
    );
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['PhysicsMassAPI', 'PhysicsDriveAPI', 'NewtonMassAPI', 'PhysxMimicJointAPI']),
    );
    expect(schemas.PhysicsRevoluteJoint).toContain('physics:lowerLimit');
    expect(meanings.filter(([, meaning]) => isUnknown(meaning))).toEqual([]);
  });

  test('is unknown where no schema has it', () => {
    expect(whyLost(meaningOf('physics:wobble', ['PhysicsMassAPI']), '1')).toBe('it is not known here');
    expect(whyLost(meaningOf('physics:mass', ['PhysicsCollisionAPI']), '1')).toBe(
      'its schema is not applied to the prim',
    );
    expect(whyLost(meaningOf('physics:mass', ['PhysicsMassAPI']), '1')).toBeUndefined();
  });
});
