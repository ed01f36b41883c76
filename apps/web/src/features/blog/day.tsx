const format = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

export function Day({ value }: { value: string }) {
  return (
    <time dateTime={value} className="text-sm text-subtle">
      {format.format(new Date(value))}
    </time>
  );
}
