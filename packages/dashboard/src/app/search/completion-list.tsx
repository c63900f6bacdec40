import { searchMessages } from '../messages/search.ts';
import styles from './completion-list.module.css';
import type { Suggestion } from './completions.ts';

/** Suggestions below a search field, which refers to the active one by its element id: `id` followed by its index. */
export function CompletionList({
  id,
  suggestions,
  active,
  onTake,
}: {
  id: string;
  suggestions: readonly Suggestion[];
  active: number;
  onTake: (index: number) => void;
}) {
  return (
    <div
      id={`${id}list`}
      role="listbox"
      aria-label={searchMessages.suggestions}
      className={`surface ${styles.list}`}
      hidden={suggestions.length === 0}
    >
      {suggestions.map(({ key, label, detail }, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
        // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the field
        <div
          key={key}
          id={`${id}${index}`}
          role="option"
          aria-selected={index === active}
          className={styles.option}
          // Keeps the focus in the field, so that the list is still open when the click arrives.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(index)}
        >
          <span className="one-line">{label}</span>
          <span className={`one-line small ${styles.detail}`}>{detail}</span>
        </div>
      ))}
    </div>
  );
}
