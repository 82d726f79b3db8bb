"""The smallest model that shows a lesson."""
