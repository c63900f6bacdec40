import { describeRange, isLicenseClass, isMeasure } from '@bindery/contract/wire';
import { messages } from '../messages.ts';
import type { FilterName } from '../url.ts';

/** A value of a filter as people read it. */
export function filterValueText(name: FilterName, value: string): string {
  const { features, licenseClasses } = messages.search;
  if (isMeasure(name)) return describeRange(name, value);
  if (name === 'has') return features[value as keyof typeof features] ?? value;
  if (name === 'license' && isLicenseClass(value))
    return licenseClasses[value.toLowerCase() as keyof typeof licenseClasses];
  return value;
}

/** A filter with its values: `Licence: MIT or Apache-2.0`. */
export function filterText(name: FilterName, values: readonly string[]): string {
  const written = values.map((value) => filterValueText(name, value));
  return messages.search.filter(messages.search[name], written);
}
