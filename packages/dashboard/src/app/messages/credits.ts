export const creditsMessages = {
  open: 'Credits and licences',
  saveMarkdown: 'Save as CREDITS.md',
  saveSpdx: 'Save as SPDX',
  text: (license: string) => `Text of ${license}`,
} as const;
