/** What is found by names that files give: nothing by those that every object has, such as `constructor`. */
export function named<Value>(values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null), values);
}
