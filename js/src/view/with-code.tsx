/** Plain text in which what stands between backquotes is code. */
export function WithCode({ text }: { readonly text: string }) {
  return <>{text.split(/`([^`\n]+)`/).map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>;
}
