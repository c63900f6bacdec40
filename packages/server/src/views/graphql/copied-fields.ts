import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** Converts a value to what the response contains for it. */
type Copy = (value: unknown) => unknown;

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** A selected field: its node, and all selection sets below it. */
interface Selected {
  node: FieldNode;
  below: SelectionSetNode[];
}

const leaf: Copy = (value) => value ?? null;

/** The property that a field exposes; undefined if the field has a resolver. */
export function propertyOf({ extensions }: GraphQLField<unknown, unknown>): string | undefined {
  const { pothosExposedField: property } = extensions;
  return typeof property === 'string' ? property : undefined;
}

/** Copies what queries select from values of types that have only properties. Copy functions are cached per field. */
export class FieldCopies {
  readonly #known = new WeakMap<FieldNode, Copy>();

  /** Returns the copy function for the selections below a field of such a type. */
  of(type: GraphQLOutputType, { fieldNodes, fragments }: GraphQLResolveInfo): Copy {
    const [node, ...more] = fieldNodes;
    // Not cached if several nodes are merged: fragments can merge the same node with others elsewhere.
    if (!node || more.length > 0) return copyOf(type, selectionsBelow(fieldNodes), fragments);
    const known = this.#known.get(node);
    if (known) return known;
    const copy = copyOf(type, selectionsBelow(fieldNodes), fragments);
    this.#known.set(node, copy);
    return copy;
  }
}

function copyOf(
  type: GraphQLOutputType,
  selections: readonly SelectionSetNode[],
  fragments: Fragments,
): Copy {
  if (isNonNullType(type)) return copyOf(type.ofType, selections, fragments);
  if (isListType(type)) {
    const copy = copyOf(type.ofType, selections, fragments);
    return (list) => (list as readonly unknown[] | null)?.map(copy) ?? null;
  }
  return isObjectType(type) ? copyOfObject(type, selections, fragments) : leaf;
}

function copyOfObject(
  type: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
  fragments: Fragments,
): Copy {
  const members = [...selectedFields(selections, fragments)].map(([key, { node, below }]) => {
    const field = type.getFields()[node.name.value];
    // In a valid query, a selection that is not a field of the type is `__typename`.
    if (!field) return { key, property: '', copy: () => type.name };
    return { key, property: propertyOf(field) ?? '', copy: copyOf(field.type, below, fragments) };
  });
  return (value) => {
    if (value === null || value === undefined) return null;
    const copied: Record<string, unknown> = {};
    for (const { key, property, copy } of members) {
      copied[key] = copy((value as Record<string, unknown>)[property]);
    }
    return copied;
  };
}

/** Returns the fields of selections in the order of the response, merging those of the same name. */
function selectedFields(
  selections: readonly SelectionSetNode[],
  fragments: Fragments,
  found = new Map<string, Selected>(),
): Map<string, Selected> {
  for (const selection of selections.flatMap((set) => set.selections)) {
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const selected = found.get(key) ?? { node: selection, below: [] };
      if (selection.selectionSet) selected.below.push(selection.selectionSet);
      found.set(key, selected);
    } else {
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      if (fragment) selectedFields([fragment.selectionSet], fragments, found);
    }
  }
  return found;
}

function selectionsBelow(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
}

/** Returns the object types that have only properties, down to the leaves. */
export function typesOfProperties(types: readonly GraphQLObjectType[]): ReadonlySet<GraphQLObjectType> {
  const found = new Set(types);
  const isLeft = (type: GraphQLObjectType) =>
    Object.values(type.getFields()).some((field) => {
      const below = getNamedType(field.type);
      return propertyOf(field) === undefined || (isObjectType(below) && !found.has(below));
    });
  for (let last = Number.NaN; last !== found.size; ) {
    last = found.size;
    for (const type of found) if (isLeft(type)) found.delete(type);
  }
  return found;
}
