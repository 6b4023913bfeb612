"""Questions asked of an original and of its release; one file per kind."""

from lookalike.measures.utility.questions.answers import Answer as Answer
from lookalike.measures.utility.questions.files import read_questions as read_questions
from lookalike.measures.utility.questions.question import Question as Question
