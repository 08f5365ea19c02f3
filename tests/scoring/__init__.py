"""Tests of the rules: known answers, properties, and playthroughs told in words (`story_*`)."""
