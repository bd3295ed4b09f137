/** Numbers and times in words. */

/** `0.8 s`, `12 s`, `1:48`, `1:02:09`: a duration in seconds, as short as it is honest. */
export function duration(seconds: number): string {
  const whole = Math.max(0, seconds);
  return whole < 9.95 ? `${whole.toFixed(1)} s` : wholeDuration(whole);
}

/** `8 s`, `1:48`: the same where tenths say nothing. */
export function wholeDuration(seconds: number): string {
  return seconds < 59.5 ? `${Math.round(seconds)} s` : clockTime(seconds);
}

/** `0:21`, `1:48`, `1:02:09`: a running clock. */
export function clockTime(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  const pad = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

/** `14:02:11`: the time of day where the reader is, from Unix seconds. */
export function timeOfDay(at: number): string {
  return new Date(at * 1000).toLocaleTimeString("en-GB");
}

/** `820`, `8.2k`, `34k`, `1.2M`. */
export function compact(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** `$0.11`, or `$0.0004` where cents would say nothing. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount >= 0.01 || amount === 0 ? 2 : 4)}`;
}

/** `1 file`, `3 files`, `1,284 lines`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** `+2 −1`, with a real minus sign. */
export function changeCount(added: number, removed: number): string {
  return `+${added.toLocaleString("en")} −${removed.toLocaleString("en")}`;
}

/** Text with its first letter large. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
