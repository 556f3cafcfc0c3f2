/** Of drafts, their check, their deploy and earlier versions. */
export const changesTexts = {
  drafts: {
    bar: (files: readonly string[], conflict: boolean) => {
      if (files.length === 0) return 'No changes: what you see is what runs.'
      const what = files.length === 1 ? `${files[0]} has changes` : `${files.length} files have changes`
      return conflict ? `${what}, and the live file changed meanwhile.` : `${what} that are not live yet.`
    },
    review: 'Review and deploy',
  },
  save: {
    saved: 'Draft saved',
    saving: 'Saving…',
    failed: 'Not saved',
    giveUp: 'Give my change up',
    inStep: 'Form and JSON are the same thing: change either.',
    halfJson: (problem: string) => `Not yet JSON, so not saved: ${problem}`,
  },
  states: { valid: 'valid', missing: 'missing', required: 'required', invalid: 'invalid' },

  changes: {
    file: 'File',
    withDraft: (file: string) => `${file} (changed)`,
    differs: 'What changes',
    runs: 'What runs',
    draft: 'Draft',
    none: 'No changes in this file',
    noneText: 'Edit routers, processors or files: changes gather here as a draft until you deploy them.',
  },
  check: {
    valid: 'Its program can run this file.',
    partly: 'The gateway would run this file, but without the routers below.',
    invalid: 'No program can run this file.',
    unchecked: 'The file is checked by its own program when you deploy it.',
    unknownKeys: (keys: readonly string[]) => `Keys that nobody reads, kept as they are: ${keys.join(', ')}`,
  },
  deploy: {
    note: 'What is it for? (optional)',
    notePlaceholder: 'A router for the search team',
    action: 'Deploy',
    running: 'Deploying…',
    discard: 'Discard draft',
    discardTitle: 'Discard the draft?',
    discardText: 'All changes of this file that are not live are lost.',
    accept: 'Deploy all the same: callers of these routers get 404',
    fixFirst: 'Mend the fields above first.',
    effects: {
      at_once: 'Takes effect at once. No call is dropped.',
      service_restart: 'Its service is started again with the new file.',
      by_hand: 'Takes effect when everything is started again.',
    },
  },
  deployed: {
    live: 'Live',
    rejected: 'Live, but some routers were rejected',
    refused: 'Refused: what ran before goes on running',
    unknown: 'Written, but the program has not said that it uses it',
    by_hand: 'Written: takes effect when everything is started again',
    digest: (digest: string, time: string) => `The gateway said so itself after ${time}; digest ${digest}.`,
    next: 'Try it now',
  },
  archive: {
    title: 'Earlier versions',
    empty: 'None yet: each deploy leaves one here.',
    live: 'live',
    by: (name: string) => (name === '' ? 'deployed here, no name given' : `deployed here by “${name}” (unverified)`),
    found: 'found: it came from elsewhere',
    compare: 'Compare with what runs',
    hide: 'Hide',
    restore: 'Return to it',
    replace: 'Replace the draft by it',
    restoreName: (action: string, time: string) => `${action}: ${time}`,
    former: 'This version',
  },
  conflict: {
    live: { title: 'The live file was changed while you edited the draft', theirs: 'What runs now' },
    draft: { title: 'Somebody else saved this draft while you edited it', theirs: 'Their draft' },
    base: 'Where both began',
    yours: 'Your draft',
    both: 'Both changes together',
    fits: 'The two changes touch different places. The text below has both: look at it, then save it.',
    clashes: (places: readonly string[]) =>
      `Both changed ${places.map((place) => place || 'the file').join(', ')}. Below stands yours: settle it, then save.`,
    save: 'Save this as the draft',
    keepYours: 'Keep only mine',
    takeTheirs: 'Take only theirs',
    open: 'Bring both together',
  },
} as const
