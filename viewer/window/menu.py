"""The menus over the picture, made from the table of actions."""

from imgui_bundle import imgui

from stoss.viewer.widgets.popups import close_with_escape
from stoss.viewer.workbench.actions import ACTIONS
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["draw_menus"]


def draw_menus(bench: Workbench) -> None:
    """Draw the menus; they stay open while things are switched, until Escape or a click elsewhere."""
    if not imgui.begin_main_menu_bar():
        return
    for menu in dict.fromkeys(action.menu for action in ACTIONS):
        if imgui.begin_menu(menu):
            close_with_escape()
            for action in (action for action in ACTIONS if action.menu == menu):
                on = action.checked is not None and action.checked(bench)
                imgui.push_item_flag(imgui.ItemFlags_.auto_close_popups, action.checked is None)
                if imgui.menu_item(action.label, action.key.title(), on)[0]:
                    action.run(bench)
                imgui.pop_item_flag()
            imgui.end_menu()
    if bench.sight.views and imgui.begin_menu("Views"):
        close_with_escape()
        for name in tuple(bench.sight.views):
            if imgui.menu_item(name, "", False)[0]:
                bench.sight.load_view(name)
        if imgui.begin_menu("Forget"):
            for name in tuple(bench.sight.views):
                if imgui.menu_item(name, "", False)[0]:
                    bench.sight.forget_view(name)
            imgui.end_menu()
        imgui.end_menu()
    imgui.end_main_menu_bar()
