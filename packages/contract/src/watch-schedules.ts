/** How often the source of a watched library is imported. */
export const WATCH_SCHEDULES = ['hourly', 'daily', 'weekly'] as const;
export type WatchSchedule = (typeof WATCH_SCHEDULES)[number];
