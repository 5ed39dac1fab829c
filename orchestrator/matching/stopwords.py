"""English function words: they say nothing of a text's subject."""

_PRONOUNS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
her hers herself it its itself they them their theirs themselves what which who whom this that
these those you're you've you'll you'd she's it's that'll
"""
_VERBS = """
am is are was were be been being have has had having do does did doing can will just should now
don don't should've aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't
haven haven't isn isn't mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't
wasn wasn't weren weren't won won't wouldn wouldn't ain ma d ll m o re s t ve y
"""
_PARTICLES = """
a an the and but if or because as until while of at by for with about against between into
through during before after above below to from up down in out on off over under again further
then once here there when where why how all any both each few more most other some such no nor
not only own same so than too very
"""

ENGLISH = frozenset((_PRONOUNS + _VERBS + _PARTICLES).split())
