import form from './form.module.css';

/** The longest name allowed for projects, Notes and Bindrs. */
const MAX_NAME = 200;

/** The name of a project, a Note or a Bindr. */
export function NameField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <label className={`${form.field} ${form.wide}`}>
      {label}
      <input
        value={value}
        onChange={(event) => onChange(event.target.value)}
        maxLength={MAX_NAME}
        required
        autoComplete="off"
      />
    </label>
  );
}
